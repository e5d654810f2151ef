import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function PoolView() {
  return (
    <Page title="Pool">
      <Loading />
    </Page>
  );
}
