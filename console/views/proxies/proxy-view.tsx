import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function ProxyView() {
  return (
    <Page title="Proxy">
      <Loading />
    </Page>
  );
}
