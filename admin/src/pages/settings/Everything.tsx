import { Button } from '@mantine/core';
import { hooks } from '../../api/transport.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Section } from '../../ui/DetailPage.tsx';
import { Icon } from '../../ui/Icon.tsx';

/** Everything of the company as an archive. The browser itself requests it, so that it saves it while receiving. */
export function Everything() {
  const { company } = useShop();
  const download = async (): Promise<void> => {
    if (await hooks.confirm()) saveAs(`/admin/api/${company.id}/export`);
  };
  return (
    <Section
      title={t('settings.everything')}
      actions={
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="download" size={15} />}
          onClick={() => void download()}
        >
          {t('settings.everything.download')}
        </Button>
      }
    >
      <p className="dim">{t('settings.everything.text')}</p>
    </Section>
  );
}

/** A refusal becomes a failed download, and never replaces the app. */
function saveAs(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
}
