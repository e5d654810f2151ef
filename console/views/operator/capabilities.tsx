import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function Capabilities() {
  return (
    <Page title="Capabilities">
      <Loading />
    </Page>
  );
}
