/** Properties of every input for a part of a configuration. */
export interface PartProps {
  label: string;
  description?: string | undefined;
  error: string | undefined;
  value: unknown;
  /** undefined removes the field. */
  onChange(value: unknown): void;
}
