/** Types of the detectors, which are installed only when the benchmark runs. */

declare module "@fingerprintjs/botd" {
  interface Detection {
    bot: boolean;
  }
  export function load(options: { monitoring: boolean }): Promise<{
    detect(): Detection;
    getDetections(): Record<string, Detection> | undefined;
  }>;
}

declare module "fpscanner" {
  interface Fingerprint {
    fastBotDetection: boolean;
    fastBotDetectionDetails: Record<string, { detected: boolean }>;
  }
  export default class FingerprintScanner {
    collectFingerprint(options: { encrypt: boolean }): Promise<Fingerprint | string>;
  }
}
