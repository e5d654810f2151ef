import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";
import { APIError } from "../api/client.ts";
import { useAction } from "../api/hooks.ts";
import { Button } from "./button.tsx";

type Problems = Readonly<Record<string, string>>;

/** Problems of the fields, by the names that the API has for them. */
const ProblemsContext = createContext<Problems>({});

/** What the fields of a form hold, by their names. */
export class FormValues {
  readonly #data: FormData;

  constructor(source: HTMLFormElement | FormData) {
    this.#data = source instanceof FormData ? source : new FormData(source);
  }

  text(name: string): string {
    const value = this.#data.get(name);
    return typeof value === "string" ? value : "";
  }

  /** An empty field is absent. */
  optional(name: string): string | undefined {
    return this.text(name) || undefined;
  }

  /** An empty field is absent. */
  number(name: string): number | undefined {
    const text = this.text(name).trim();
    return text === "" ? undefined : Number(text);
  }

  flag(name: string): boolean {
    return this.#data.has(name);
  }

  /** The values of the checked boxes of a name. */
  chosen(name: string): string[] {
    return this.#data.getAll(name).filter((value) => typeof value === "string");
  }

  file(name: string): File | undefined {
    const value = this.#data.get(name);
    return value instanceof File && value.name !== "" ? value : undefined;
  }

  /** Lines of `key=value`. @throws APIError that names the field. */
  pairs(name: string): Record<string, string> {
    const lines = this.text(name).split("\n");
    return Object.fromEntries(lines.filter((line) => line.trim() !== "").map((line) => toPair(line, name)));
  }

  /** @throws APIError that names the field. */
  json(name: string): unknown {
    try {
      return JSON.parse(this.text(name));
    } catch (error) {
      throw invalid(name, `is not JSON: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

function toPair(line: string, field: string): [string, string] {
  const separator = line.indexOf("=");
  if (separator < 1) throw invalid(field, `"${line.trim()}" must have the form key=value`);
  return [line.slice(0, separator).trim(), line.slice(separator + 1).trim()];
}

/** A problem of a field that the API has not seen. */
export function invalid(field: string, problem: string): APIError {
  return new APIError(0, `${field}: ${problem}`, { [field]: problem });
}

interface FormProps {
  /** @throws APIError, whose problems appear beside their fields. */
  submit: (values: FormValues) => Promise<void>;
  /** Called after each change. */
  onChange?: (values: FormValues) => void;
  /** Text of the button. */
  label: string;
  kind?: "primary" | "danger";
  /** Called by a second button. */
  cancel?: () => void;
  children?: ComponentChildren;
}

/** A form whose fields keep their values themselves. */
export function Form({ submit, onChange, label, kind = "primary", cancel, children }: FormProps) {
  const [error, setError] = useState<Error>();
  const form = useRef<HTMLFormElement>(null);
  const { run, isRunning } = useAction(async (values: FormValues) => {
    setError(undefined);
    await submit(values);
  }, setError);
  useEffect(() => {
    const refused = form.current?.querySelectorAll<HTMLElement>("[aria-invalid=true]") ?? [];
    for (const control of refused) control.closest("details")?.setAttribute("open", "");
    refused[0]?.focus();
  }, [error]);
  const changed = (event: { currentTarget: HTMLFormElement }) =>
    onChange?.(new FormValues(event.currentTarget));
  const onSubmit = (event: { preventDefault(): void; currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    void run(new FormValues(event.currentTarget));
  };
  return (
    <form ref={form} class="form" noValidate onSubmit={onSubmit} onInput={changed}>
      <ProblemsContext.Provider value={error instanceof APIError ? error.fields : {}}>
        {children}
      </ProblemsContext.Provider>
      {error && (
        <p class="problem" role="alert">
          {error.message}
        </p>
      )}
      <div class="form-actions">
        <Button type="submit" kind={kind} isBusy={isRunning}>
          {label}
        </Button>
        {cancel && <Button onClick={cancel}>Cancel</Button>}
      </div>
    </form>
  );
}

interface FieldProps {
  label: string;
  /** The field's name in the API, for its value and its problems. */
  name: string;
  hint?: ComponentChildren;
}

interface ControlProps {
  id: string;
  name: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean;
}

/** What is wrong with a field, or a part of it such as `tags.team`. */
function useProblem(name: string): string | undefined {
  const problems = useContext(ProblemsContext);
  const key = Object.keys(problems).find((field) => field === name || field.startsWith(`${name}.`));
  return key && problems[key];
}

/** A label, a control, its hint and its problem, which belong together for screen readers. */
export function Field({
  label,
  name,
  hint,
  control,
}: FieldProps & { control: (props: ControlProps) => ComponentChildren }) {
  const id = useId();
  const problem = useProblem(name);
  const describedBy =
    [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(" ") || undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control({ id, name, "aria-describedby": describedBy, "aria-invalid": problem !== undefined })}
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {problem && (
        <p id={`${id}-problem`} class="field-problem">
          {problem}
        </p>
      )}
    </div>
  );
}

/** Preact's types have one type of properties for each type of input. */
const INPUTS = {
  text: { type: "text" },
  password: { type: "password" },
  number: { type: "number" },
  date: { type: "date" },
} as const;

interface TextFieldProps extends FieldProps {
  type?: keyof typeof INPUTS;
  /** The value at first. */
  value?: string | number | null;
  placeholder?: string;
  autoComplete?: string;
  /** Makes it a text area with so many lines. */
  rows?: number;
}

export function TextField({ label, name, hint, type = "text", value, rows, ...input }: TextFieldProps) {
  const shared = { spellcheck: false, defaultValue: value?.toString() ?? "" };
  return (
    <Field
      {...{ label, name, hint }}
      control={(props) =>
        rows === undefined ? (
          <input autoComplete="off" {...shared} {...input} {...INPUTS[type]} {...props} />
        ) : (
          <textarea rows={rows} {...shared} {...props} />
        )
      }
    />
  );
}

interface SelectFieldProps extends FieldProps {
  value?: string;
  options: readonly (readonly [string, string])[];
  onChange?: (value: string) => void;
}

export function SelectField({ label, name, hint, value, options, onChange }: SelectFieldProps) {
  return (
    <Field
      {...{ label, name, hint }}
      control={(props) => (
        <select {...props} onChange={(event) => onChange?.(event.currentTarget.value)}>
          {options.map(([option, text]) => (
            <option key={option} value={option} selected={option === value}>
              {text}
            </option>
          ))}
        </select>
      )}
    />
  );
}

interface CheckboxProps extends FieldProps {
  /** Whether it is checked at first. */
  checked?: boolean;
  /** What it stands for among the boxes of a name. */
  value?: string;
}

export function Checkbox({ label, name, hint, checked, value = "on" }: CheckboxProps) {
  const id = useId();
  const problem = useProblem(name);
  return (
    <div class="field is-check">
      <input
        {...{ id, name, value }}
        type="checkbox"
        defaultChecked={checked}
        aria-describedby={hint || problem ? `${id}-hint` : undefined}
        aria-invalid={problem !== undefined}
      />
      <label for={id}>{label}</label>
      {(hint || problem) && (
        <p id={`${id}-hint`} class={problem ? "field-problem" : "hint"}>
          {problem ?? hint}
        </p>
      )}
    </div>
  );
}
