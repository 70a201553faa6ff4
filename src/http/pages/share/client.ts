import { connectDrawingTools } from '../shared/client/drawing-tools.ts'

connectDrawingTools()
