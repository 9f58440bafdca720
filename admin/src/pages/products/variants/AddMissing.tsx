import { Button } from '@mantine/core';
import { useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { useWrite } from '../../../ui/actions/useWrite.ts';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { useFormat } from '../../../ui/format.tsx';
import { say, sayError } from '../../../ui/messages.tsx';
import { customGroups, gathered, type WithCustom } from '../../custom-fields/fields.tsx';
import { useCustomFields } from '../../custom-fields/queries.ts';
import type { Product } from '../queries.ts';
import type { GenerateBody } from './queries.ts';

/**
 * Adds a variant for each combination of option values that has none, after saying how many there are. Where variants need custom values,
 * these are asked for first, because the server counts only what it could create.
 */
export function AddMissing({ product }: { product: Product }) {
  const { api, company } = useShop();
  const format = useFormat();
  const { data: fields = [] } = useCustomFields('variant');
  const [text, setText] = useState<string | null>(null);
  const isCountable = !fields.some(({ required }) => required);
  const textOf = (n: number): string => t('variants.missing', { n, shown: format.number(n) });
  const params = { path: { id: String(product.id) } };
  const generate = (body: GenerateBody): Promise<Product[]> =>
    dataOf(api.POST('/products/{id}/variants/generate', { params, body }));
  const count = useWrite({
    mutationFn: () => generate({ price: product.price, dry_run: true }),
    onSuccess: ({ length }) => (length === 0 ? say(textOf(0)) : setText(textOf(length))),
    onError: sayError,
  });
  return (
    <>
      <Button
        size="xs"
        variant="default"
        loading={count.isPending}
        onClick={() => (isCountable ? count.mutate() : setText(''))}
      >
        {t('variants.add_missing')}
      </Button>
      {text === null ? null : (
        <FormDialog<WithCustom<GenerateBody>>
          title={t('variants.add_missing')}
          text={text === '' ? undefined : text}
          fields={[
            { name: 'price', label: t('field.price'), type: 'money', required: true },
            { name: 'stock_qty', label: t('product.stock'), type: 'number' },
            ...customGroups<GenerateBody>(fields, company).flatMap((group) => group.fields),
          ]}
          initial={{ price: String(product.price) }}
          submit={t('action.create')}
          save={async (body) => {
            const { length } = await generate(gathered<GenerateBody>(body));
            say(length === 0 ? textOf(0) : t('form.created'));
          }}
          onClose={() => setText(null)}
        />
      )}
    </>
  );
}
