import { parameterMissing, parameterUnknown, StripeApiError } from './errors.ts';

/** Parameters of a request, as Stripe takes them: `metadata[a]=b&expand[0]=c`. */
export class Form {
  readonly #values: URLSearchParams;

  constructor(encoded: string) {
    this.#values = new URLSearchParams(encoded);
  }

  /** Throws if a parameter is none of these, by what stands before its brackets. */
  allow(names: readonly string[]): void {
    for (const key of this.#values.keys()) {
      const name = key.split('[')[0]!;
      if (!names.includes(name)) throw parameterUnknown(key);
    }
  }

  get(name: string): string | null {
    return this.#values.get(name);
  }

  require(name: string): string {
    const value = this.#values.get(name);
    if (value === null || value === '') throw parameterMissing(name);
    return value;
  }

  integer(name: string): number | null {
    const value = this.#values.get(name);
    if (value === null) return null;
    if (!/^-?\d+$/.test(value)) {
      throw new StripeApiError(400, 'invalid_request_error', `Invalid integer: ${value}`, {
        code: 'parameter_invalid_integer',
        param: name,
      });
    }
    return Number(value);
  }

  flag(name: string): boolean {
    return this.#values.get(name) === 'true';
  }

  list(name: string): string[] {
    return [...this.#values].flatMap(([key, value]) => (key.startsWith(`${name}[`) ? [value] : []));
  }

  hash(name: string): Record<string, string> {
    const entries = [...this.#values].flatMap(([key, value]) => {
      const inner = key.startsWith(`${name}[`) ? key.slice(name.length + 1, -1) : null;
      return inner === null ? [] : [[inner, value] as const];
    });
    return Object.fromEntries(entries);
  }
}
