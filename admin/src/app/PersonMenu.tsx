import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import type { Person } from '../api/account.ts';
import { LANGUAGES, type Language } from '../i18n/catalogues.ts';
import { language, t } from '../i18n/i18n.ts';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { sayError } from '../ui/messages.tsx';
import { useGo } from './nav.ts';
import { useChoosePreferences } from './preferences.ts';
import { useShop, useSignOut } from './session.tsx';

const THEMES: readonly [Person['theme'], IconName][] = [
  ['light', 'sun'],
  ['dark', 'moon'],
  ['auto', 'device-desktop'],
];

export function PersonMenu({ onKeys }: { onKeys: () => void }) {
  const { session } = useShop();
  const go = useGo();
  const { colorScheme } = useMantineColorScheme({ keepTransitions: true });
  const choose = useChoosePreferences();
  const signOut = useSignOut();
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" radius="xl" aria-label={t('person.menu')}>
          <Icon name="user" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="break">{session.person.name}</Menu.Label>
        <Menu.Item leftSection={<Icon name="user" size={16} />} onClick={() => go('account')}>
          {t('person.account')}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="keyboard" size={16} />} onClick={onKeys}>
          {t('keyboard.title')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t('person.theme')}</Menu.Label>
        {THEMES.map(([theme, icon]) => (
          <Menu.Item
            key={theme}
            leftSection={<Icon name={icon} size={16} />}
            rightSection={colorScheme === theme ? <Icon name="check" size={16} /> : null}
            onClick={() => choose({ theme })}
          >
            {t(`theme.${theme}`)}
          </Menu.Item>
        ))}
        <Menu.Label>{t('person.language')}</Menu.Label>
        {Object.entries(LANGUAGES).map(([tag, name]) => (
          <Menu.Item
            key={tag}
            lang={tag}
            rightSection={language() === tag ? <Icon name="check" size={16} /> : null}
            onClick={() => choose({ language: tag as Language })}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="logout" size={16} />} onClick={() => void signOut().catch(sayError)}>
          {t('action.sign_out')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
