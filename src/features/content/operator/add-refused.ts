/** Why nothing, or not all, could be added, in words for the operator. */
export class AddRefused extends Error {}

/** What was said is wrong in itself, whatever pictures there are. */
export class AddMisused extends AddRefused {}
