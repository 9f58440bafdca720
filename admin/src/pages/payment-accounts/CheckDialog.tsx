import { Button, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import { Status } from '../../ui/Status.tsx';
import type { PaymentAccount } from '../payment-methods/queries.ts';

/** Tries the account once, and shows what the service says. */
export function CheckDialog({ account: { id, name }, onClose }: { account: PaymentAccount; onClose: () => void }) {
  const { api, company } = useShop();
  const check = useQuery({
    queryKey: [company.id, 'payment-accounts', id, 'check'],
    queryFn: ({ signal }) => ok(api.POST('/payment-accounts/{id}/check', { params: { path: { id } }, signal })),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('payment_account.check.of', { name })}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <div className="stack" aria-live="polite">
        <Loaded query={check}>
          {({ ok: accepted, methods, message }) => (
            <>
              <p>
                <Status value={accepted ? 'ok' : 'failed'} />
              </p>
              <p className="break">
                {message ??
                  (methods.length === 0
                    ? t('payment_account.check.none')
                    : t('payment_account.check.methods', { methods: methods.join(', ') }))}
              </p>
            </>
          )}
        </Loaded>
        <div className="row">
          <span className="grow" />
          <Button variant="default" onClick={onClose}>
            {t('action.close')}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
