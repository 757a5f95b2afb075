/** The cause that every mark of a repair names. */
export const REPAIR_CAUSE = 'verify/repair';
/** How a repair sets its marks. */
export const REPAIR = { causes: [REPAIR_CAUSE] };
