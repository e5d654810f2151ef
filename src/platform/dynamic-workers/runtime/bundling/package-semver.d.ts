/** The package has no types. */
declare module "semver" {
  const semver: {
    intersects(one: string, other: string): boolean;
    satisfies(version: string, range: string): boolean;
    validRange(range: string): string | null;
    maxSatisfying(versions: readonly string[], range: string): string | null;
  };
  export default semver;
}
