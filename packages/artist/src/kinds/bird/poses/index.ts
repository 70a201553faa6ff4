import { airPoses } from './air.ts'
import { companyPoses } from './company.ts'
import { groundPoses } from './ground.ts'
import { perchPoses } from './perch.ts'
import type { Pose } from './pose.ts'
import { waterPoses } from './water.ts'

const poses = { ...groundPoses, ...perchPoses, ...airPoses, ...waterPoses, ...companyPoses }
export type PoseName = keyof typeof poses
export const birdPoses: Readonly<Record<PoseName, Pose>> = poses
