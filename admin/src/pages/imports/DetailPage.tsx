import './texts.ts';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf } from '../../api/client.ts';
import { useId } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { DetailColumns, Loaded, Section } from '../../ui/DetailPage.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { useFormat } from '../../ui/format.tsx';
import { sayError } from '../../ui/messages.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Status } from '../../ui/Status.tsx';
import css from './imports.module.css';
import { Mapping } from './Mapping.tsx';
import { Notices } from './Notices.tsx';
import { type Import, isBusy, type Phase, useImport } from './queries.ts';
import { Readings } from './Readings.tsx';
import { Counts, Findings } from './Report.tsx';

type Step = 'run' | 'cancel' | 'undo';
const OPEN: readonly Import['status'][] = ['uploading', 'checking', 'checked', 'running'];

/** One import from its file to its undo. */
export function DetailPage() {
  const id = useId();
  const query = useImport(id);
  return <Loaded query={query}>{(row) => <Shown key={row.id} row={row} />}</Loaded>;
}

function Shown({ row }: { row: Import }) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const [mapping, setMapping] = useState(false);
  const { id, status } = row;
  const act = useWrite({
    mutationFn: (step: Step) => {
      const given = { params: { path: { id } } };
      if (step === 'run') return dataOf(api.POST('/imports/{id}/run', given));
      return step === 'undo'
        ? dataOf(api.POST('/imports/{id}/undo', given))
        : dataOf(api.POST('/imports/{id}/cancel', given));
    },
    onSuccess: (next) => {
      client.setQueryData([company.id, 'imports', id], next);
      return client.invalidateQueries({ queryKey: [company.id] });
    },
    onError: sayError,
  });
  const askUndo = async (): Promise<void> => {
    const question = { title: t('imports.undo.title'), text: t('imports.undo.text'), action: t('imports.undo') };
    if (await ask(question)) act.mutate('undo');
  };
  const mayUndo = status === 'done' && row.undo_until !== null;
  const needsMapping = row.chunks > 0 && (status === 'uploading' || status === 'failed');
  const phase: Phase = status === 'undone' || status === 'undoing' ? 'undo' : status === 'checked' ? 'check' : 'run';
  return (
    <>
      <PageHeader
        title={row.file_name}
        back={{ path: 'imports', text: t('nav.imports') }}
        badge={<Status value={status} />}
      >
        {OPEN.includes(status) ? (
          <Button variant="default" onClick={() => act.mutate('cancel')} loading={act.isPending}>
            {t('action.cancel')}
          </Button>
        ) : null}
        {mayUndo ? (
          <Button variant="default" onClick={() => void askUndo()} loading={act.isPending}>
            {t('imports.undo')}
          </Button>
        ) : null}
        {status === 'checked' && !mapping ? (
          <Button variant="default" onClick={() => setMapping(true)}>
            {t('imports.change')}
          </Button>
        ) : null}
        {status === 'checked' ? (
          <Button onClick={() => act.mutate('run')} loading={act.isPending} disabled={row.created + row.updated === 0}>
            {t('imports.run')}
          </Button>
        ) : null}
      </PageHeader>
      <DetailColumns>
        {row.error === null ? null : (
          <p role="alert" className={css.problem}>
            {row.error}
          </p>
        )}
        {isBusy(row) ? <Progress row={row} /> : null}
        {status === 'uploading' && row.chunks === 0 ? <p>{t('imports.no_file')}</p> : null}
        {needsMapping || mapping ? <Mapping row={row} onChecked={() => setMapping(false)} /> : null}
        {status === 'uploading' || status === 'cancelled' ? null : <Counts row={row} />}
        {isBusy(row) || status === 'uploading' ? null : <Notices notices={row.notices} />}
        {isBusy(row) || status === 'uploading' ? null : <Readings readings={row.readings} />}
        {isBusy(row) || status === 'uploading' ? null : <Findings row={row} phase={phase} />}
      </DetailColumns>
    </>
  );
}

/** Progress of the check, the run or the undo. */
function Progress({ row }: { row: Import }) {
  const format = useFormat();
  const { status, position, total } = row;
  const known = status === 'running' && total !== null && total > 0;
  const text =
    status === 'undoing'
      ? t('imports.progress.undone', { n: format.number(row.undone + row.kept) })
      : known
        ? t('imports.progress.of', { n: format.number(position), total: format.number(total) })
        : t('imports.progress.rows', { n: format.number(position) });
  return (
    <Section title={t(`imports.busy.${status === 'checking' || status === 'undoing' ? status : 'running'}`)}>
      <progress className={css.bar} aria-label={text} {...(known ? { value: position, max: total } : {})} />
      <p className="dim num" role="status">
        {text}
      </p>
    </Section>
  );
}
