import { ActionIcon, Button, Drawer, Kbd, Menu } from '@mantine/core';
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { useId, useState, useSyncExternalStore } from 'react';
import { t } from '../i18n/i18n.ts';
import { PLACE_GROUPS, PLACES, type Place } from '../pages/pages.ts';
import { Anchor } from '../ui/Anchor.tsx';
import { Dialogs } from '../ui/Dialogs.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Messages } from '../ui/messages.tsx';
import { Bell } from './Bell.tsx';
import css from './Frame.module.css';
import { useKeptFocus } from './focus.ts';
import { KeyboardMap } from './KeyboardMap.tsx';
import { useKeyboard } from './keyboard.ts';
import { useLive } from './live.ts';
import { useGo } from './nav.ts';
import { onConnection } from './online.ts';
import { Palette } from './Palette.tsx';
import { PersonMenu } from './PersonMenu.tsx';
import { useShop } from './session.tsx';

/** How many places are at the bottom of a phone; the rest is under "More". */
const ON_PHONE = 4;

/** Side bar or, on a phone, bottom bar; header; the page. */
export function Frame() {
  const { can, company } = useShop();
  useLive(company.id);
  const [palette, setPalette] = useState(false);
  const [keys, setKeys] = useState(false);
  const [more, setMore] = useState(false);
  const go = useGo();
  const location = useLocation();
  useKeptFocus(location.pathname);
  const places = PLACES.filter(({ scope }) => can(scope));
  const onPhone = places.filter(({ key, under }) => key !== null && under === undefined).slice(0, ON_PHONE);

  useKeyboard({
    palette: () => setPalette(true),
    map: () => setKeys(true),
    go: (key) => {
      const place = places.find((one) => one.key === key);
      if (place !== undefined) go(place.path);
    },
  });
  // A change of page closes overlays.
  const [shown, setShown] = useState(location.pathname);
  if (shown !== location.pathname) {
    setShown(location.pathname);
    setMore(false);
  }

  return (
    <div className={css.frame}>
      <a className={css.skip} href="#main">
        {t('nav.skip')}
      </a>
      <aside className={`${css.side} no-print`}>
        <Brand />
        <nav aria-label={t('nav.label')}>
          <PlaceGroups places={places} />
        </nav>
      </aside>
      <header className={`${css.header} no-print`}>
        <CompanySwitch />
        <Button
          className={css.search}
          variant="default"
          justify="flex-start"
          classNames={{ label: css.searchLabel }}
          leftSection={<Icon name="search" size={16} />}
          rightSection={<Kbd size="xs">Ctrl K</Kbd>}
          onClick={() => setPalette(true)}
        >
          {t('palette.open')}
        </Button>
        <ActionIcon
          className={css.searchIcon}
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t('palette.open')}
          onClick={() => setPalette(true)}
        >
          <Icon name="search" />
        </ActionIcon>
        <span className={css.space} />
        <Bell />
        <PersonMenu onKeys={() => setKeys(true)} />
      </header>
      <main id="main" tabIndex={-1} className={css.main}>
        <Offline />
        <Outlet />
      </main>
      <nav className={`${css.bottom} no-print`} aria-label={t('nav.label_phone')}>
        {onPhone.map((place) => (
          <PlaceLink key={place.path} place={place} />
        ))}
        <button type="button" className={css.place} onClick={() => setMore(true)}>
          <Icon name="menu-2" />
          <span>{t('nav.more')}</span>
        </button>
      </nav>
      <Drawer
        opened={more}
        onClose={() => setMore(false)}
        position="bottom"
        size="auto"
        title={t('nav.more')}
        closeButtonProps={{ 'aria-label': t('action.close') }}
      >
        <nav className={css.more} aria-label={t('nav.label')}>
          <PlaceGroups places={places} />
        </nav>
      </Drawer>
      {palette ? <Palette places={places} onClose={() => setPalette(false)} /> : null}
      <KeyboardMap opened={keys} places={places} onClose={() => setKeys(false)} />
      <Dialogs />
      <Messages />
    </div>
  );
}

function Brand() {
  return (
    <Anchor path="" className={css.brand}>
      <svg aria-hidden="true" viewBox="0 0 32 32" width="26" height="26">
        <rect width="32" height="32" rx="8" fill="#3b5bdb" />
        <path d="M8 10h16M16 10v13M9 16l7 7 7-7" fill="none" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
      </svg>
      Tradeloom
    </Anchor>
  );
}

/** The named groups; a place that is under another is listed while a page of that one or of its siblings is open. */
function PlaceGroups({ places }: { places: readonly Place[] }) {
  const id = useId();
  const [, , ...below] = useLocation().pathname.split('/');
  const open = places.find(({ path }) => path === below[0]);
  const parentOf = ({ under }: Place): Place | undefined => places.find(({ path }) => path === under);
  const opened = open === undefined ? undefined : (parentOf(open) ?? open);
  return PLACE_GROUPS.map((group) => {
    const tops = places.filter((place) => place.group === group && parentOf(place) === undefined);
    if (tops.length === 0) return null;
    return (
      <section key={group} className={css.group}>
        <h2 id={`${id}-${group}`}>{t(`nav.group.${group}`)}</h2>
        <ul aria-labelledby={`${id}-${group}`}>
          {tops.map((place) => {
            const children = place === opened ? places.filter(({ under }) => under === place.path) : [];
            return (
              <li key={place.path}>
                <PlaceLink place={place} />
                {children.length === 0 ? null : (
                  <ul className={css.under} aria-label={t(place.text)}>
                    {children.map((child) => (
                      <li key={child.path}>
                        <PlaceLink place={child} />
                      </li>
                    ))}
                  </ul>
                )}
              </li>
            );
          })}
        </ul>
      </section>
    );
  });
}

function PlaceLink({ place }: { place: Place }) {
  return (
    <Anchor path={place.path} className={css.place}>
      <Icon name={place.icon} />
      <span>{t(place.text)}</span>
    </Anchor>
  );
}

function CompanySwitch() {
  const { company, session } = useShop();
  const navigate = useNavigate();
  if (session.companies.length < 2) return <span className={css.company}>{company.name}</span>;
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          className={css.company}
          data-switch
          rightSection={<Icon name="chevron-down" size={14} />}
        >
          {company.name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {session.companies.map(({ id, name }) => (
          <Menu.Item
            key={id}
            leftSection={id === company.id ? <Icon name="check" size={16} /> : <span className={css.noIcon} />}
            onClick={() => void navigate({ to: '/$company', params: { company: String(id) } })}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Offline() {
  const online = useSyncExternalStore(onConnection, () => navigator.onLine);
  return online ? null : (
    <p role="alert" className={css.offline}>
      <Icon name="wifi-off" size={16} /> {t('error.offline_banner')}
    </p>
  );
}
