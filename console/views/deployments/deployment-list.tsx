import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function DeploymentList() {
  return (
    <Page title="Deployments">
      <Loading />
    </Page>
  );
}
