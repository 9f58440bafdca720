import { Chip, ChipsField } from '../../ui/finder/Chips.tsx';
import { type InputProps, wordsOf } from '../../ui/form/values.ts';
import { ProductFinder } from './ProductFinder.tsx';
import { useProduct } from './queries.ts';

/** Products found by their names; the value is their ids with commas between. */
export function ProductIdsField({ field, value, error, onChange }: InputProps) {
  const ids = wordsOf(String(value));
  const set = (next: string[]): void => onChange(next.join(', '));
  const finder = (
    <ProductFinder
      label={field.label}
      help={field.help}
      error={error}
      onChoose={({ id }) => {
        if (!ids.includes(String(id))) set([...ids, String(id)]);
      }}
    />
  );
  return (
    <ChipsField label={field.label} finder={finder}>
      {ids.map((id) => (
        <ProductChip key={id} id={Number(id)} onRemove={() => set(ids.filter((one) => one !== id))} />
      ))}
    </ChipsField>
  );
}

function ProductChip({ id, onRemove }: { id: number; onRemove(): void }) {
  const name = useProduct(id).data?.name ?? `#${id}`;
  return <Chip name={name} onRemove={onRemove} />;
}
