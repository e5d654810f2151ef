/** Runs the detectors in the measured browser and sends their findings to the site. */
import { load } from "@fingerprintjs/botd";
import FingerprintScanner from "fpscanner";
import type { Finding } from "./finding.ts";

const { search } = location;

async function runBotd(): Promise<Finding[]> {
  const detector = await load({ monitoring: false });
  const verdict = detector.detect();
  const checks = Object.entries(detector.getDetections() ?? {});
  return [
    { detector: "botd", check: "verdict: a bot", detected: verdict.bot },
    ...checks.map(([check, { bot }]) => ({ detector: "botd", check, detected: bot })),
  ];
}

async function runFingerprintScanner(): Promise<Finding[]> {
  const fingerprint = await new FingerprintScanner().collectFingerprint({ encrypt: false });
  if (typeof fingerprint === "string") throw new Error("fpscanner encrypted its fingerprint");
  const checks = Object.entries(fingerprint.fastBotDetectionDetails);
  return [
    { detector: "fpscanner", check: "verdict: a bot", detected: fingerprint.fastBotDetection },
    ...checks.map(([check, { detected }]) => ({ detector: "fpscanner", check, detected: detected })),
  ];
}

async function requestServiceWorker(): Promise<void> {
  await navigator.serviceWorker.register(`/service.js${search}`);
  await navigator.serviceWorker.ready;
}

const [botd, scanner] = await Promise.all([runBotd(), runFingerprintScanner(), requestServiceWorker()]);
await fetch(`/findings${search}`, { method: "POST", body: JSON.stringify([...botd, ...scanner]) });
