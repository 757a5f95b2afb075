/** What every mark of a repair is set for. */
export const REPAIR_CAUSE = 'verify/repair';
export const REPAIR = { causes: [REPAIR_CAUSE] };
