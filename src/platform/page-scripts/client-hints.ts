declare global {
  interface Navigator {
    userAgentData: { getHighEntropyValues(hints: string[]): Promise<Record<string, unknown>> };
  }
}

export function readClientHints(): Promise<Record<string, unknown>> {
  return navigator.userAgentData.getHighEntropyValues([
    "architecture",
    "bitness",
    "formFactors",
    "fullVersionList",
    "model",
    "platformVersion",
    "uaFullVersion",
    "wow64",
  ]);
}
