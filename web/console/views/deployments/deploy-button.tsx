import { useLocation } from "preact-iso";
import { api, read } from "../../api/client.ts";
import { DialogButton } from "../../ui/dialog-button.tsx";
import { Checkbox, type FormValues, TextField } from "../../ui/form.tsx";
import { showToast } from "../../ui/toast.tsx";
import { UploadForm } from "../../ui/upload-form.tsx";

/** Asks for a zip, and shows its deployment. */
export function DeployButton() {
  return (
    <DialogButton kind="primary" title="Deploy an app" content={() => <DeployForm />}>
      Deploy
    </DialogButton>
  );
}

function DeployForm() {
  const { route } = useLocation();
  return (
    <UploadForm
      label="Deploy"
      zip="Zip of the app's folder"
      hint="Packages are installed according to its package.json."
      upload={async (file, values, fetch) => {
        const form = toForm(file, values);
        const body = { file: "", entrypoint_rel_path: "" };
        const { id } = await read(api.POST("/deployments", { body, bodySerializer: () => form, fetch }));
        showToast("The zip was uploaded. The deployment has started.");
        route(`/console/deployments/${id}`);
      }}
    >
      <TextField
        label="Entry point"
        name="entrypoint_rel_path"
        value="index.ts"
        hint="Path of a file in the zip."
      />
      <TextField label="Version" name="version" hint="Invocations select it. Empty: latest." />
      <Checkbox
        label="Replace an app of the same version"
        name="force"
        hint="The version “latest” is always replaced."
      />
      <TextField
        label="Environment variables"
        name="env_vars"
        rows={3}
        hint="One NAME=value per line. Values are stored encrypted; only the names are shown later."
      />
    </UploadForm>
  );
}

function toForm(file: File, values: FormValues): FormData {
  const form = new FormData();
  for (const name of ["entrypoint_rel_path", "version"]) form.set(name, values.text(name).trim());
  form.set("force", String(values.flag("force")));
  form.set("env_vars", JSON.stringify(values.pairs("env_vars")));
  form.set("file", file);
  return form;
}
