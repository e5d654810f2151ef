export function driverOf(pausesAgent: boolean, canControl: boolean): string {
  if (canControl)
    return pausesAgent ? "You are driving. The agent is waiting." : "You and the agent are driving.";
  return pausesAgent ? "A person is driving. The agent is waiting." : "A person and the agent are driving.";
}

/** @param until in milliseconds since the epoch. */
export function timeLeft(until: number, now = Date.now()): string {
  const minutes = Math.ceil((until - now) / 60_000);
  if (minutes <= 1) return "less than a minute left";
  return minutes < 60 ? `${minutes} min left` : `${Math.floor(minutes / 60)} h ${minutes % 60} min left`;
}
