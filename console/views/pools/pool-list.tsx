import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function PoolList() {
  return (
    <Page title="Pools">
      <Loading />
    </Page>
  );
}
