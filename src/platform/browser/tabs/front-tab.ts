export interface TabOrder {
  byRecency: readonly string[];
  lastKnown: string | undefined;
  behind: ReadonlySet<string>;
  /** Reported by the page. "No" is reliable; "yes" is not while a client (Playwright) emulates focus. */
  reportsVisible: (id: string) => boolean;
}

/**
 * Finds the tab that a person would see; undefined when there is none. The browser does not report it. Its
 * page list starts with the tab opened or shown last, which may be a background tab.
 */
export function findFrontTab({ byRecency, lastKnown, behind, reportsVisible }: TabOrder): string | undefined {
  const [latest] = byRecency;
  if (latest === undefined || latest === lastKnown) return latest;
  const wasShown =
    !behind.has(latest) || (reportsVisible(latest) && lastKnown !== undefined && !reportsVisible(lastKnown));
  if (wasShown) return latest;
  if (lastKnown !== undefined && reportsVisible(lastKnown)) return lastKnown;
  const visible = byRecency.filter(reportsVisible);
  return visible.find((id) => !behind.has(id)) ?? visible[0] ?? lastKnown ?? latest;
}
