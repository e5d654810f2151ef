/** The location hints of Durable Objects. */
export const REGIONS = [
  "wnam",
  "enam",
  "sam",
  "weur",
  "eeur",
  "apac",
  "apac-ne",
  "apac-se",
  "oc",
  "afr",
  "me",
] as const;

export type Region = (typeof REGIONS)[number];

/** Kernel's names of regions. */
const SYNONYMS = {
  "us-west": "wnam",
  "us-east": "enam",
  "eu-west": "weur",
  "ap-southeast": "apac-se",
} as const satisfies Record<string, Region>;

type Synonym = keyof typeof SYNONYMS;

const isSynonym = (name: string): name is Synonym => Object.hasOwn(SYNONYMS, name);

/** What a caller may name a region. */
export const REGION_NAMES = [...REGIONS, ...Object.keys(SYNONYMS).filter(isSynonym)] as const;

/** The region for a name, which may be a synonym. */
export function toRegion(name: Region | Synonym): Region {
  return isSynonym(name) ? SYNONYMS[name] : name;
}
