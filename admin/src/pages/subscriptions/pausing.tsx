import { useQueryClient } from '@tanstack/react-query';
import { dataOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { useFormat } from '../../ui/format.tsx';
import { say, sayError } from '../../ui/messages.tsx';

/** Skips the next delivery, or ends a pause, and shows the date of the next one. */
export function useSkipOrResume(id: number) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const format = useFormat();
  const params = { path: { id } };
  return useWrite({
    mutationFn: (action: 'skip' | 'resume') =>
      dataOf(
        action === 'skip'
          ? api.POST('/subscriptions/{id}/skip', { params })
          : api.POST('/subscriptions/{id}/resume', { params }),
      ),
    onSuccess: ({ next_billing_date }) => {
      say(next_billing_date === null ? t('form.saved') : t('subscription.now', { day: format.day(next_billing_date) }));
      return client.invalidateQueries({ queryKey: [company.id, 'subscriptions'] });
    },
    onError: sayError,
  });
}

export function PauseDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { api } = useShop();
  return (
    <FormDialog
      title={t('subscription.pause')}
      text={t('subscription.pause.text')}
      fields={[{ name: 'resume_on', label: t('subscription.resume_on'), type: 'day' }]}
      submit={t('subscription.pause')}
      done={t('subscription.paused')}
      save={(body) => dataOf(api.POST('/subscriptions/{id}/pause', { params: { path: { id } }, body }))}
      onClose={onClose}
    />
  );
}
