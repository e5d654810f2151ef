/** Runs in the measured browser: asks the detectors and sends what they find to the site. */
import { load } from "@fingerprintjs/botd";
import FingerprintScanner from "fpscanner";
import type { Finding } from "./finding.ts";

const { search } = location;

async function askBotd(): Promise<Finding[]> {
  const detector = await load({ monitoring: false });
  const verdict = detector.detect();
  const checks = Object.entries(detector.getDetections() ?? {});
  return [
    { detector: "botd", check: "verdict: a bot", tells: verdict.bot },
    ...checks.map(([check, { bot }]) => ({ detector: "botd", check, tells: bot })),
  ];
}

async function askFingerprintScanner(): Promise<Finding[]> {
  const fingerprint = await new FingerprintScanner().collectFingerprint({ encrypt: false });
  if (typeof fingerprint === "string") throw new Error("fpscanner has encrypted its fingerprint");
  const checks = Object.entries(fingerprint.fastBotDetectionDetails);
  return [
    { detector: "fpscanner", check: "verdict: a bot", tells: fingerprint.fastBotDetection },
    ...checks.map(([check, { detected }]) => ({ detector: "fpscanner", check, tells: detected })),
  ];
}

async function requestServiceWorker(): Promise<void> {
  await navigator.serviceWorker.register(`/service.js${search}`);
  await navigator.serviceWorker.ready;
}

const [botd, scanner] = await Promise.all([askBotd(), askFingerprintScanner(), requestServiceWorker()]);
await fetch(`/findings${search}`, { method: "POST", body: JSON.stringify([...botd, ...scanner]) });
