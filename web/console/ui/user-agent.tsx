const MAX_LENGTH = 32;

const BROWSERS = [
  ["Edge", /\bEdg\/(\d+)/],
  ["Opera", /\bOPR\/(\d+)/],
  ["Firefox", /(?:Firefox|FxiOS)\/(\d+)/],
  ["Chrome", /(?:Chrome|CriOS)\/(\d+)/],
  ["Safari", /\bVersion\/(\d+)/],
] as const;

/** Android says that it is Linux, and an iPhone that it is like Mac OS X. */
const SYSTEMS = ["Windows", "Android", "iPhone", "iPad", "CrOS", "Mac OS X", "Linux"];

/** Such as `Firefox 140, Linux`; the beginning of what it says itself if that is unknown. */
export function nameAgent(userAgent: string): string {
  for (const [name, version] of BROWSERS) {
    const [, number] = version.exec(userAgent) ?? [];
    const system = SYSTEMS.find((each) => userAgent.includes(each));
    if (number !== undefined) return `${name} ${number}${system === undefined ? "" : `, ${system}`}`;
  }
  return userAgent.length > MAX_LENGTH ? `${userAgent.slice(0, MAX_LENGTH)}…` : userAgent || "unknown";
}

/** A user agent in a few words, with all of it on hover. */
export function UserAgent({ text }: { text: string }) {
  return <span title={text}>{nameAgent(text)}</span>;
}
