/** The cause that every mark of a repair names. */
export const REPAIR_CAUSE = 'verify/repair';
export const REPAIR = { causes: [REPAIR_CAUSE] };
