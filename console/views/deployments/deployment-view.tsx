import { Page } from "../../ui/page.tsx";
import { Loading } from "../../ui/states.tsx";

export function DeploymentView() {
  return (
    <Page title="Deployment">
      <Loading />
    </Page>
  );
}
