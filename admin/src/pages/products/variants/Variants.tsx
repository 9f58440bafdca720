import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { LoadedPart, Section } from '../../../ui/DetailPage.tsx';
import { Restored } from '../../../ui/form/drafts.tsx';
import { useFormat } from '../../../ui/format.tsx';
import { ColumnMenu } from '../../../ui/list/columns.tsx';
import { PageButton } from '../../../ui/list/ListFoot.tsx';
import { useSelection } from '../../../ui/list/selection.ts';
import { type CustomField, useCustomFields } from '../../custom-fields/queries.ts';
import type { Product } from '../queries.ts';
import { AddMissing } from './AddMissing.tsx';
import { useGridColumns } from './columns.tsx';
import { cellKey } from './grid.ts';
import { useVariants } from './queries.ts';
import { SetForSelected } from './SetForSelected.tsx';
import { useGrid } from './useGrid.ts';
import css from './Variants.module.css';
import { VariantTable } from './VariantTable.tsx';

const PER_PAGE = 100;

/** All variants of a product, with SKU, price, stock and custom values to edit. */
export function Variants({ product }: { product: Product }) {
  const { can } = useShop();
  const query = useVariants(product.id);
  const fields = useCustomFields('variant');
  const isLoaded = query.data !== undefined && fields.data !== undefined;
  return (
    <Section
      title={t('variants.title')}
      flush
      actions={can('products:write') ? <AddMissing product={product} /> : null}
    >
      <div className={isLoaded ? undefined : css.inset}>
        <LoadedPart query={query}>
          {(variants) => (
            <LoadedPart query={fields}>
              {(own) => <Editor parent={product.id} variants={variants} fields={own} />}
            </LoadedPart>
          )}
        </LoadedPart>
      </div>
    </Section>
  );
}

function Editor({ parent, variants, fields }: { parent: number; variants: Product[]; fields: CustomField[] }) {
  const { can } = useShop();
  const format = useFormat();
  const columns = useGridColumns(fields);
  const { shown } = columns;
  const grid = useGrid(parent, variants, columns);
  const selection = useSelection(variants, ({ id }) => id);
  const [page, setPage] = useState(1);
  const pages = Math.max(1, Math.ceil(variants.length / PER_PAGE));
  const offset = (Math.min(page, pages) - 1) * PER_PAGE;
  const readOnly = !can('products:write');
  const failed =
    Object.keys(grid.errors).length === 0
      ? -1
      : variants.findIndex(({ id }) => shown.some((column) => grid.errors[cellKey(id, column)]));
  useEffect(() => {
    if (failed !== -1) setPage(Math.floor(failed / PER_PAGE) + 1);
  }, [failed]);
  return (
    <>
      {grid.restored ? (
        <div className={css.inset}>
          <Restored onDiscard={grid.discard} />
        </div>
      ) : null}
      {columns.all.every(({ kind }) => kind !== 'custom') ? null : (
        <div className={`${css.tools} no-print`}>
          <ColumnMenu columns={columns.all} chosen={columns.chosen} onChange={columns.choose} />
        </div>
      )}
      {selection.rows.length === 0 ? null : <SetForSelected columns={shown} grid={grid} selection={selection} />}
      <div className={css.scroll}>
        <VariantTable
          shown={variants.slice(offset, offset + PER_PAGE)}
          offset={offset}
          columns={shown}
          grid={grid}
          selection={selection}
          readOnly={readOnly}
        />
      </div>
      <div className={`${css.foot} no-print`}>
        <span className="dim num">
          {t('variants.total', { n: variants.length, shown: format.number(variants.length) })}
        </span>
        {pages === 1 ? null : (
          <nav className="row" aria-label={t('list.pages')}>
            <PageButton
              icon="chevron-left"
              text={t('list.previous')}
              disabled={offset === 0}
              onClick={() => setPage(page - 1)}
            />
            <span className="num">{t('list.page', { page, pages })}</span>
            <PageButton
              icon="chevron-right"
              text={t('list.next')}
              disabled={page >= pages}
              onClick={() => setPage(page + 1)}
            />
          </nav>
        )}
        {grid.problem === null ? null : (
          <p role="alert" className={css.problem}>
            {grid.problem}
          </p>
        )}
        {readOnly ? null : (
          <span className={css.actions}>
            <Button variant="default" disabled={grid.changed === 0 || grid.busy} onClick={grid.discard}>
              {t('form.discard')}
            </Button>
            <Button disabled={grid.changed === 0} loading={grid.busy} onClick={() => void grid.save()}>
              {t('action.save')}
            </Button>
          </span>
        )}
      </div>
    </>
  );
}
