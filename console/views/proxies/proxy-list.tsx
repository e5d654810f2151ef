import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function ProxyList() {
  return (
    <Page title="Proxies">
      <Loading />
    </Page>
  );
}
