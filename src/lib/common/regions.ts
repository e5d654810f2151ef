import type { Region } from "./region-names.ts";

export type { Region } from "./region-names.ts";

const BY_CONTINENT: Record<string, Region> = {
  NA: "enam",
  SA: "sam",
  EU: "weur",
  AS: "apac",
  OC: "oc",
  AF: "afr",
};

/** ISO 3166-1 codes of countries whose region does not follow from their continent. */
const BY_COUNTRY: readonly (readonly [Region, string])[] = [
  ["eeur", "AL BA BG BY CZ EE FI GR HR HU LT LV MD ME MK PL RO RS RU SI SK UA XK"],
  ["me", "AE BH CY IL IQ IR JO KW LB OM PS QA SA SY TR YE"],
  ["apac-ne", "CN HK JP KP KR MN MO TW"],
  ["apac-se", "BN ID KH LA MM MY PH SG TH TL VN"],
];

/** Between Winnipeg and Denver. */
const WEST_OF_DEGREES = -100;

/** What Cloudflare knows about a caller's location. */
export interface Place {
  continent?: string | undefined;
  /** ISO 3166-1. */
  country?: string | undefined;
  /** Degrees. */
  longitude?: string | undefined;
}

/** @returns the region near a caller; null if the location is unknown. */
export function regionOf({ continent, country, longitude }: Place): Region | null {
  const [region] =
    BY_COUNTRY.find(([, countries]) => country && countries.split(" ").includes(country)) ?? [];
  if (region !== undefined) return region;
  if (continent === "NA" && Number(longitude) < WEST_OF_DEGREES) return "wnam";
  return BY_CONTINENT[continent ?? ""] ?? null;
}

/** @returns the region near the caller of a request; null for calls that the service makes to itself. */
export function regionOfRequest({ cf }: Request): Region | null {
  const text = (name: string) => {
    const value: unknown = cf?.[name];
    return typeof value === "string" ? value : undefined;
  };
  return regionOf({ continent: text("continent"), country: text("country"), longitude: text("longitude") });
}

/**
 * Options of a Durable Object's stub: the region that it is created in. Only its first call matters. Without
 * a region it is created near its first caller.
 *
 * @example
 * namespace.getByName(id, placedIn(regionOfRequest(request)));
 */
export function placedIn(region: Region | null): DurableObjectNamespaceGetDurableObjectOptions {
  return region === null ? {} : { locationHint: region };
}
