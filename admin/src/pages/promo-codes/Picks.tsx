import { Input } from '@mantine/core';
import { useCollectionNames } from '../../rules/offer.ts';
import { ProductsInput } from '../../rules/ProductsInput.tsx';
import { Several } from '../../rules/Several.tsx';
import type { InputProps, Value } from '../../ui/form/values.ts';

/** The ids of records; the form's value is their JSON. */
export const idsOf = (value: Value): number[] => JSON.parse(String(value));

export function ProductsPick({ field, value, error, onChange }: InputProps) {
  return (
    <ProductsInput
      label={field.label}
      ids={idsOf(value)}
      error={error}
      onChange={(ids) => onChange(JSON.stringify(ids))}
    />
  );
}

export function CollectionsPick({ field, value, error, onChange }: InputProps) {
  const collections = useCollectionNames();
  const ids = idsOf(value);
  const set = (next: number[]): void => onChange(JSON.stringify(next));
  return (
    <Input.Wrapper label={field.label} labelElement="div">
      <Several
        values={ids.map(String)}
        options={collections.map(({ id, name }) => ({ value: String(id), label: name }))}
        error={error}
        onAdd={(id) => set([...ids, Number(id)])}
        onRemove={(i) => set(ids.toSpliced(i, 1))}
      />
    </Input.Wrapper>
  );
}
