import '../templates/texts.ts';
import { Button, FileButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FLOW_STATUSES } from '../../../../src/marketing/flows/status.ts';
import { ok } from '../../api/client.ts';
import { useGo } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { useFormat } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import { say, sayError } from '../../ui/messages.tsx';
import { Status } from '../../ui/Status.tsx';
import { SmallFailure } from '../../ui/states.tsx';
import { readFlow } from './model/transfer.ts';
import type { Flow } from './queries.ts';
import '../events/words.ts';

export function ListPage() {
  const { api, can } = useShop();
  const format = useFormat();
  const number = (of: (flow: Flow) => number) => ({
    cell: (flow: Flow) => format.number(of(flow)),
    csv: of,
    align: 'right' as const,
  });
  return (
    <List<Flow>
      name="flows"
      title={t('nav.flows')}
      resource="flows"
      load={async (query, signal) => {
        const { flows, pagination } = await ok(api.GET('/flows', { params: { query }, signal }));
        return { rows: flows, total: pagination.total };
      }}
      idOf={(flow) => flow.flow_id}
      path={(flow) => `flows/${flow.flow_id}`}
      columns={[
        { key: 'name', title: t('field.name'), cell: (flow) => flow.name, csv: (flow) => flow.name },
        {
          key: 'status',
          title: t('field.status'),
          cell: (flow) => <Status value={flow.status} />,
          csv: (flow) => flow.status,
        },
        {
          key: 'trigger',
          title: t('flow.trigger'),
          wide: true,
          cell: (flow) => tOf('event_type', flow.trigger_type),
          csv: (flow) => flow.trigger_type,
        },
        { key: 'active', title: t('flow.running'), ...number((flow) => flow.stats.active) },
        { key: 'entered', title: t('flow.entered'), wide: true, ...number((flow) => flow.stats.entered) },
        { key: 'sent', title: t('campaign.sent'), wide: true, ...number((flow) => flow.stats.sent) },
        { key: 'converted', title: t('campaign.converted'), wide: true, ...number((flow) => flow.stats.converted) },
      ]}
      filters={[
        {
          key: 'status',
          title: t('field.status'),
          type: 'choice',
          choices: FLOW_STATUSES.map((value) => ({ value, label: tOf('status', value) })),
        },
      ]}
      actions={
        can('marketing:write') ? (
          <>
            <ImportFlow />
            <FromLibrary />
          </>
        ) : null
      }
      empty={{ icon: 'sitemap', title: t('flows.empty'), text: t('flows.empty.text') }}
    />
  );
}

/** Creates a draft from the file of an exported flow. */
function ImportFlow() {
  const { api } = useShop();
  const go = useGo();
  const read = async (file: File | null): Promise<void> => {
    if (file === null) return;
    const flow = readFlow(await file.text());
    if (flow === null) return say(t('flow.import.invalid'), true);
    try {
      const { flow_id } = await ok(api.POST('/flows', { body: flow }));
      go(`flows/${flow_id}/edit`);
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <FileButton
      accept="application/json,.json"
      onChange={(file) => void read(file)}
      inputProps={{ 'aria-label': t('flow.import') }}
    >
      {(props) => (
        <Button variant="default" {...props}>
          {t('flow.import')}
        </Button>
      )}
    </FileButton>
  );
}

/** The choice of a flow without steps; no ready-made flow has this key. */
const NOTHING = '-';

/** Creates a draft from a ready-made flow, or an empty one. */
function FromLibrary() {
  const { api, company } = useShop();
  const go = useGo();
  const [open, setOpen] = useState(false);
  const query = useQuery({
    queryKey: [company.id, 'flows', 'library'],
    enabled: open,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => ok(api.GET('/flows/library', { signal })),
  });
  const { data, error } = query;
  const failed = open && data === undefined && error !== null;
  return (
    <>
      <Button loading={open && query.isFetching} onClick={() => (failed ? void query.refetch() : setOpen(true))}>
        {t('flow.new')}
      </Button>
      {failed ? <SmallFailure query={query} /> : null}
      {open && data !== undefined ? (
        <FormDialog
          title={t('flow.new')}
          text={t('flow.library.text')}
          fields={[
            {
              name: 'library_name',
              label: t('flow.library'),
              type: 'choice',
              choices: [
                ...data.library.map(({ library_name, name, description }) => ({
                  value: library_name,
                  label: `${name} – ${description}`,
                })),
                { value: NOTHING, label: t('flow.library.nothing') },
              ],
            },
            { name: 'name', label: t('flow.name'), type: 'text', help: t('flow.name.help') },
          ]}
          initial={{ library_name: data.library[0]!.library_name, name: '' }}
          submit={t('action.create')}
          save={async ({ library_name, ...body }) => {
            if (library_name === NOTHING) {
              const { name = t('flow.new') } = body;
              const made = { name: String(name), trigger_type: 'order_placed' };
              const { flow_id } = await ok(api.POST('/flows', { body: made }));
              return go(`flows/${flow_id}/edit`);
            }
            const params = { path: { name: String(library_name) } };
            const { flow_id } = await ok(api.POST('/flows/from-library/{name}', { params, body }));
            go(`flows/${flow_id}`);
          }}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
}
