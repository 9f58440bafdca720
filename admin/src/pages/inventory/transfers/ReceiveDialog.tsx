import { Modal, Switch, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type BodyOf, dataOf } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { useWrite } from '../../../ui/actions/useWrite.ts';
import { DialogActions } from '../../../ui/DialogActions.tsx';
import { numberOf } from '../../../ui/form/numbers.ts';
import { fieldText, say, textOf } from '../../../ui/messages.tsx';
import { ProductText } from '../../products/ProductName.tsx';
import { openOf, type Transfer } from './queries.ts';
import css from './ReceiveDialog.module.css';

type Received = BodyOf<'/inventory/transfers/{id}/receive', 'post'>;

/** Asks what has arrived, at first everything that is open, and whether more will. */
export function ReceiveDialog({ transfer, onClose }: { transfer: Transfer; onClose(): void }) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const open = transfer.lines.filter((line) => openOf(line) > 0);
  const [arrived, setArrived] = useState<Record<number, string>>(
    Object.fromEntries(open.map((line) => [line.product_id, String(openOf(line))])),
  );
  const [complete, setComplete] = useState(false);
  const receive = useWrite({
    mutationFn: (body: Received) =>
      dataOf(api.POST('/inventory/transfers/{id}/receive', { params: { path: { id: transfer.id } }, body })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [company.id] });
      say(t('transfer.was_received'));
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const lines = open.flatMap(({ product_id }) => {
      const text = (arrived[product_id] ?? '').trim();
      // The server refuses what is no number.
      return text === '' || text === '0' ? [] : [{ product_id, qty: numberOf(text) as number }];
    });
    receive.mutate({ lines, complete });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('transfer.receive')}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <form className="stack" onSubmit={submit} noValidate>
        <p>{t('transfer.receive.text')}</p>
        {open.map((line) => (
          <TextInput
            key={line.product_id}
            inputMode="numeric"
            label={<ProductText id={line.product_id} />}
            description={t('transfer.open', { n: openOf(line) })}
            value={arrived[line.product_id] ?? ''}
            onChange={(event) => setArrived({ ...arrived, [line.product_id]: event.currentTarget.value })}
          />
        ))}
        <Switch
          label={t('transfer.complete')}
          description={t('transfer.complete.help')}
          checked={complete}
          onChange={(event) => setComplete(event.currentTarget.checked)}
        />
        {receive.error === null ? null : (
          <p role="alert" className={css.problem}>
            {problemOf(receive.error)}
          </p>
        )}
        <DialogActions submit={t('transfer.receive')} onCancel={onClose} loading={receive.isPending} />
      </form>
    </Modal>
  );
}

/** The server's errors of fields, or that of the request. */
function problemOf(error: Error): string {
  const fields = error instanceof ApiError ? error.fields : [];
  return fields.length === 0 ? textOf(error) : fields.map(fieldText).join('; ');
}
