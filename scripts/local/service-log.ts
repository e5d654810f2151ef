const ORGANIZATION_CREATED = '"event":"organization_created"';

const WARNING = JSON.stringify({
  event: "local_service_shared",
  warning:
    "A second organization was created. All browsers of this local service run as your user, and pages of one " +
    "organization can reach local servers that another organization uses. Deploy to Cloudflare to share Berth with " +
    "people you do not trust.",
});

/** Prints the Worker's log, with a warning after the creation of a second organization. */
export function newServiceLog(print: (line: string) => void = console.log): (line: string) => void {
  let isWarned = false;
  return (line) => {
    print(line);
    if (isWarned || !line.includes(ORGANIZATION_CREATED)) return;
    isWarned = true;
    print(WARNING);
  };
}
