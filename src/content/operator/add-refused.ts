/** Why nothing, or not all, could be added, in words for the operator. */
export class AddRefused extends Error {}
