import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { t } from '../../../i18n/i18n.ts';
import { Section, SmallTable } from '../../../ui/DetailPage.tsx';
import { ProductName } from '../../products/ProductName.tsx';

/** Rows that are shown at first, and added by the button: each reads its product. */
const SHOWN = 50;

/** The lines of a document with their products. */
export function LinesTable<Row extends { product_id: number }>(props: {
  lines: Row[];
  columns: { title: string; cell(row: Row): ReactNode; right: true }[];
}) {
  const [most, setMost] = useState(SHOWN);
  const { lines } = props;
  return (
    <Section title={t('nav.products')} flush>
      <SmallTable
        caption={t('nav.products')}
        rows={lines.slice(0, most)}
        keyOf={({ product_id }) => product_id}
        empty={t('list.none.title')}
        columns={[
          { title: t('field.product'), cell: ({ product_id }) => <ProductName id={product_id} /> },
          ...props.columns,
        ]}
      />
      {lines.length > most ? (
        <Button variant="subtle" onClick={() => setMost(most + SHOWN)}>
          {t('collection.more', { n: lines.length - most })}
        </Button>
      ) : null}
    </Section>
  );
}
