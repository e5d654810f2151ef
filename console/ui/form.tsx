import type { ComponentChildren } from "preact";
import { createContext } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";
import { APIError } from "../api/client.ts";
import { useAction } from "../api/hooks.ts";
import { Button } from "./button.tsx";

type Problems = Readonly<Record<string, string>>;

/** Problems of the fields, by the names that the API has for them. */
const ProblemsContext = createContext<Problems>({});

interface FormProps {
  /** @throws APIError, whose problems appear beside their fields. */
  submit: () => Promise<void>;
  /** Text of the button. */
  label: string;
  children: ComponentChildren;
  /** Further buttons. */
  extra?: ComponentChildren;
  kind?: "primary" | "danger";
}

export function Form({ submit, label, children, extra, kind = "primary" }: FormProps) {
  const [error, setError] = useState<Error>();
  const form = useRef<HTMLFormElement>(null);
  const { run, isRunning } = useAction(async () => {
    setError(undefined);
    await submit();
  }, setError);
  const problems = error instanceof APIError ? error.fields : {};
  useEffect(() => {
    if (error !== undefined) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [error]);
  return (
    <form
      ref={form}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <ProblemsContext.Provider value={problems}>{children}</ProblemsContext.Provider>
      {error !== undefined && (
        <p class="problem" role="alert">
          {error.message}
        </p>
      )}
      <div class="form-actions">
        <Button type="submit" kind={kind} isBusy={isRunning}>
          {label}
        </Button>
        {extra}
      </div>
    </form>
  );
}

interface FieldProps {
  label: string;
  /** The field's name in the API, for its problems. */
  name?: string;
  hint?: ComponentChildren;
}

/** A label, a control, its hint and its problem, which belong together for screen readers. */
export function Field({
  label,
  name,
  hint,
  control,
}: FieldProps & { control: (props: ControlProps) => ComponentChildren }) {
  const id = useId();
  const problems = useContext(ProblemsContext);
  const problem = name === undefined ? undefined : problemOf(problems, name);
  const describedBy = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control({ id, "aria-describedby": describedBy || undefined, "aria-invalid": problem !== undefined })}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {problem !== undefined && (
        <p id={`${id}-problem`} class="field-problem">
          {problem}
        </p>
      )}
    </div>
  );
}

interface ControlProps {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean;
}

/** Also of a field inside, such as `tags.team`. */
function problemOf(problems: Problems, name: string): string | undefined {
  const key = Object.keys(problems).find((field) => field === name || field.startsWith(`${name}.`));
  return key === undefined ? undefined : problems[key];
}

interface ValueProps<T> extends FieldProps {
  value: T;
  onChange: (value: T) => void;
}

/** Preact's types have one type of properties for each type of input. */
const INPUTS = {
  text: { type: "text" },
  password: { type: "password" },
  number: { type: "number" },
} as const;

interface TextFieldProps extends ValueProps<string> {
  type?: keyof typeof INPUTS;
  placeholder?: string;
  autoComplete?: string;
  min?: number;
  max?: number;
}

export function TextField({ label, name, hint, onChange, type = "text", ...input }: TextFieldProps) {
  return (
    <Field
      {...{ label, name, hint }}
      control={(props) => (
        <input
          autoComplete="off"
          spellcheck={false}
          {...input}
          {...INPUTS[type]}
          {...props}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    />
  );
}

export function TextArea({
  label,
  name,
  hint,
  value,
  onChange,
  rows = 6,
}: ValueProps<string> & { rows?: number }) {
  return (
    <Field
      {...{ label, name, hint }}
      control={(props) => (
        <textarea
          rows={rows}
          spellcheck={false}
          value={value}
          {...props}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    />
  );
}

interface SelectFieldProps<T extends string> extends ValueProps<T> {
  options: readonly (readonly [T, string])[];
}

export function SelectField<T extends string>({
  label,
  name,
  hint,
  value,
  onChange,
  options,
}: SelectFieldProps<T>) {
  const choose = (chosen: string) => {
    const option = options.find(([value]) => value === chosen);
    if (option !== undefined) onChange(option[0]);
  };
  return (
    <Field
      {...{ label, name, hint }}
      control={(props) => (
        <select {...props} value={value} onChange={(event) => choose(event.currentTarget.value)}>
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    />
  );
}

export function Checkbox({ label, hint, value, onChange }: ValueProps<boolean>) {
  const id = useId();
  return (
    <div class="field is-check">
      <input
        id={id}
        type="checkbox"
        checked={value}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

/** Tags as `key=value` in lines. @throws APIError for a line without `=`. */
export function parseTags(text: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const separator = line.indexOf("=");
      if (separator < 1) {
        const message = `"${line.trim()}" must have the form key=value`;
        throw new APIError(0, "invalid_input", `tags: ${message}`, { tags: message });
      }
      return [line.slice(0, separator).trim(), line.slice(separator + 1).trim()];
    }),
  );
}

export function formatTags(tags: Record<string, string>): string {
  return Object.entries(tags)
    .map(([key, value]) => `${key}=${value}`)
    .join("\n");
}

/** JSON of a text field. @throws APIError that names the field. */
export function parseJSON(text: string, field: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = `is not JSON: ${error instanceof Error ? error.message : String(error)}`;
    throw new APIError(0, "invalid_input", `${field}: ${message}`, { [field]: message });
  }
}
