import { api, read } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { DocLink, Page } from "../../ui/page.tsx";
import { Loaded, NotAvailable } from "../../ui/states.tsx";
import { Use } from "../overview.tsx";

const REFRESH_MS = 30_000;

export function Usage() {
  const overview = useLoad("/org/overview", (signal) => read(api.GET("/org/overview", { signal })), {
    refreshMs: REFRESH_MS,
  });
  return (
    <Page title="Limits and use">
      <Loaded resource={overview} lines={6}>
        {(data) => (
          <>
            <Use {...data} />
            <NotAvailable title="Use over a longer time, and its cost, are not in this version of Berth">
              Cloudflare bills the operator of this service, see <DocLink page="costs">Costs</DocLink>. Other
              things have <DocLink page="settings">limits</DocLink>, too, which are not counted here.
            </NotAvailable>
          </>
        )}
      </Loaded>
    </Page>
  );
}
