export interface TabOrder {
  /** Ids of all tabs, the last opened or shown first. */
  byRecency: readonly string[];
  /** The last known front tab, if it is still open. */
  believed: string | undefined;
  /** Tabs opened in the background and never seen in front. */
  behind: ReadonlySet<string>;
  /**
   * Whether a page reports itself visible. "No" is reliable; "yes" is not while a client emulates focus, as
   * Playwright does.
   */
  saysVisible: (id: string) => boolean;
}

/**
 * Finds the tab that a person would see; undefined when there is none. The browser does not report it. Its
 * page list starts with the tab opened or shown last, which may be a background tab.
 */
export function findFrontTab({ byRecency, believed, behind, saysVisible }: TabOrder): string | undefined {
  const [latest] = byRecency;
  if (latest === undefined || latest === believed) return latest;
  const wasShown =
    !behind.has(latest) || (saysVisible(latest) && believed !== undefined && !saysVisible(believed));
  if (wasShown) return latest;
  if (believed !== undefined && saysVisible(believed)) return believed;
  const visible = byRecency.filter(saysVisible);
  return visible.find((id) => !behind.has(id)) ?? visible[0] ?? believed ?? latest;
}
