/** The location hints of Durable Objects. */
export const REGIONS = ["wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me"] as const;

export type Region = (typeof REGIONS)[number];
