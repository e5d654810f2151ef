/** What is known of the tabs when it has to be said which one a person would see. */
export interface TabOrder {
  /** Ids of all tabs, the one that was opened or brought to the front last first. */
  byRecency: readonly string[];
  /** The tab that was in front when last looked at, if it is still there. */
  believed: string | undefined;
  /** Tabs that were opened behind others and have not been seen in front since. */
  behind: ReadonlySet<string>;
  /**
   * Whether a tab's page says that it is visible. "No" is always true. "Yes" is not where a client emulates focus,
   * as Playwright does in every page.
   */
  saysVisible: (id: string) => boolean;
}

/**
 * The tab that a person would see; undefined when there is none.
 *
 * The browser tells no one which tab is in front. It lists its pages by when they were opened or shown, so that
 * the first is the one in front, but for a tab that was opened behind: it is listed first without being shown.
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
