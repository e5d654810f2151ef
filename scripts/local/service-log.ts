const ORGANIZATION_CREATED = '"event":"organization_created"';

/** A line of JSON, as the rest of the log. */
const WARNING = JSON.stringify({
  event: "local_service_shared",
  warning:
    "Another organization was made. All browsers of this local service run as you: pages of one organization's sessions " +
    "reach servers of this machine that those of another use. Deploy to Cloudflare to share Berth with people you do not trust.",
});

/** Prints what the Worker logs, and warns when the service is about to be shared. */
export function newServiceLog(print: (line: string) => void = console.log): (line: string) => void {
  let isWarned = false;
  return (line) => {
    print(line);
    if (isWarned || !line.includes(ORGANIZATION_CREATED)) return;
    isWarned = true;
    print(WARNING);
  };
}
