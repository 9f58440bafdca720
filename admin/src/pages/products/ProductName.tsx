import { ApiError } from '../../api/errors.ts';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { useProduct } from './queries.ts';

/** A product's name as a link. */
export function ProductName({ id }: { id: number }) {
  return (
    <Anchor path={`products/${id}`} className="break">
      <ProductText id={id} />
    </Anchor>
  );
}

export function ProductText({ id }: { id: number }) {
  const { data, error } = useProduct(id);
  if (error instanceof ApiError && error.status === 404) return t('error.not_found.title');
  return data === undefined ? `#${id}` : data.name;
}
