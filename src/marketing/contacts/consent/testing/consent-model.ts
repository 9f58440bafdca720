import { CHANNELS, type Channel } from '../states.ts';
import { ADDRESS, type By, type Customer, type Given, KEYS, newPerson, type Person } from './person.ts';

/** What the contract says of consent, as plainly as it can be written: what histories are held against. */

/** The people of one history, and the last word about each of their addresses. */
export class ConsentModel {
  readonly people = new Set<Person>();
  readonly customers: Customer[] = [];
  /** Whom contacts became part of. */
  private readonly heirs = new Map<number, number>();
  private noes = new Map<string, By>();
  /** Addresses that refused mail for good. */
  private readonly dead = new Set<string>();

  /** Whether the last word about the address was no, or that it is dead. */
  refuses(address: string): boolean {
    return this.noes.has(address) || this.dead.has(address);
  }

  /** Whether marketing has to reach the person by the channel, and where. */
  reaches(person: Person, channel: Channel): string | null {
    const address = person[ADDRESS[channel]];
    if (address === null || person.isPaused || (channel === 'email' && person.hasBounced)) return null;
    return person.words[channel].state === 'subscribed' && !this.refuses(address) ? address : null;
  }

  /** Who has the id, or is heir to whoever had it. */
  person(id: number): Person | undefined {
    let now = id;
    for (let next = this.heirs.get(now); next !== undefined; next = this.heirs.get(now)) now = next;
    return [...this.people].find((person) => person.id === now);
  }

  holder(key: (typeof KEYS)[number], value: string): Person | undefined {
    return [...this.people].find((person) => person[key] === value);
  }

  private sayNo(address: string, by: By): void {
    const before = this.noes.get(address);
    this.noes.set(address, by === 'shop' && before !== 'person' ? 'shop' : 'person');
  }

  /** An upsert through the API; undefined for a conflict. */
  upsert(given: Given): Person | undefined {
    const [winner, ...losers] = new Set(
      KEYS.flatMap((key) => (given[key] == null ? [] : (this.holder(key, given[key]) ?? []))),
    );
    if (losers.some((loser) => loser.external_id !== null)) return undefined;
    const person = winner ?? newPerson({ email: 'subscribed', sms: 'never' }, false);
    this.change(person, winner !== undefined, () => {
      for (const loser of losers) this.merge(person, loser, given);
      this.apply(person, given);
    });
    return person;
  }

  /** False where it has to be refused, and changes nothing then. */
  patch(person: Person, given: Given): boolean {
    const taken = KEYS.some(
      (key) => given[key] != null && ![undefined, person].includes(this.holder(key, given[key]!)),
    );
    if (taken || KEYS.every((key) => (given[key] === undefined ? person[key] : given[key]) === null)) return false;
    const before = structuredClone(person);
    const noes = new Map(this.noes);
    this.change(person, true, () => this.apply(person, given));
    const refused = CHANNELS.some(
      (c) => given.consent?.[c] !== undefined && given.consent[c] !== person.words[c].state,
    );
    if (!refused) return true;
    Object.assign(person, before);
    this.noes = noes;
    return false;
  }

  event(email: string): Person {
    const known = this.holder('email', email);
    if (known !== undefined) return known;
    const person = newPerson({ email: 'subscribed', sms: 'never' }, true);
    this.change(person, false, () => {
      person.email = email;
    });
    return person;
  }

  /** The marketing side hears of a customer: `saidSo` where they have just said whether they accept marketing. */
  hear({ id, email, accepts }: Customer, saidSo: boolean): void {
    const isCustomers = (externalId: string): boolean => this.customers.some((one) => String(one.id) === externalId);
    const byEmail = this.holder('email', email);
    const free = byEmail !== undefined && (byEmail.external_id === null || !isCustomers(byEmail.external_id));
    const known = this.holder('external_id', String(id)) ?? (free ? byEmail : undefined);
    const person = known ?? newPerson({ email: accepts ? 'subscribed' : 'never', sms: 'never' }, true);
    this.change(person, known !== undefined, () => {
      if (byEmail !== undefined && byEmail !== person) {
        if (byEmail.external_id === null) this.merge(person, byEmail, { email });
        else Object.assign(byEmail, { email: null, hasBounced: false });
      }
      this.readdress(person, email);
      Object.assign(person, { external_id: String(id), email });
      const word = person.words.email;
      if (!saidSo) return;
      if (accepts && word.state === 'never') person.words.email = { state: 'subscribed', by: 'shop', soft: true };
      if (!accepts && word.state === 'subscribed' && word.soft) {
        person.words.email = { state: 'never', by: 'shop', soft: true };
      }
    });
  }

  /** A customer changes whether they accept marketing. */
  shopSays(customer: Customer): void {
    const { id, email, accepts } = customer;
    const person = this.holder('external_id', String(id)) ?? this.holder('email', email);
    const address = person === undefined ? email : person.email;
    const against = address === null ? undefined : this.noes.get(address);
    if (accepts) {
      if (against === 'person') return;
      const word = person?.words.email;
      if (word !== undefined && (word.state === 'never' || (word.state === 'unsubscribed' && against === 'shop'))) {
        person!.words.email = { state: 'subscribed', by: 'shop', soft: true };
      }
      if (against === 'shop') this.noes.delete(address!);
      return;
    }
    if (address !== null && person?.words.email.state !== 'unsubscribed') this.sayNo(address, 'shop');
    if (person?.words.email.state === 'subscribed') person.words.email = { state: 'never', by: 'shop', soft: true };
    if (person?.words.sms.state === 'subscribed') {
      person.words.sms = { state: 'never', by: 'shop', soft: true };
      if (person.phone !== null) this.sayNo(person.phone, 'shop');
    }
  }

  /** The person says no, and so does whoever read what was sent to `also`. */
  leave(person: Person | undefined, channels: readonly Channel[], also?: string): void {
    for (const channel of channels) {
      const address = person?.[ADDRESS[channel]];
      if (person !== undefined) person.words[channel] = { state: 'unsubscribed', by: 'person', soft: false };
      if (address != null) this.sayNo(address, 'person');
    }
    if (also !== undefined) this.sayNo(also, 'person');
  }

  /** A no from the address itself, whoever has it. */
  refuse(channel: Channel, address: string): void {
    this.leave(this.holder(ADDRESS[channel], address), [channel], address);
  }

  comeBack(person: Person, channel: Channel): void {
    const address = person[ADDRESS[channel]];
    const word = person.words[channel];
    if (word.state !== 'subscribed') person.words[channel] = { state: 'subscribed', by: 'person', soft: false };
    if (channel === 'email') person.hasBounced = false;
    if (address !== null) this.lift(address);
  }

  /** What was kept against the address is forgotten; not what contacts hold. */
  lift(address: string): void {
    this.noes.delete(address);
    this.dead.delete(address);
  }

  /** The address is dead, whoever has it. */
  bounce(email: string): void {
    this.dead.add(email);
    this.wearOut(email);
  }

  /** Whoever has the address is taken not to read it; it may work for somebody else. */
  wearOut(email: string): void {
    const person = this.holder('email', email);
    if (person !== undefined) person.hasBounced = true;
  }

  /** Somebody entered the address into a form, and consents to nothing by that. */
  signUp(email: string): void {
    if (this.holder('email', email) !== undefined) return;
    const person = newPerson({ email: 'never', sms: 'never' }, true);
    this.change(person, false, () => {
      person.email = email;
    });
  }

  /** A yes from the number itself. */
  start(phone: string): void {
    const person = this.holder('phone', phone);
    if (person !== undefined) this.comeBack(person, 'sms');
    this.noes.delete(phone);
  }

  /** What was said of the addresses stays, and what the person said or was known of them becomes the addresses'. */
  erase(person: Person): void {
    this.people.delete(person);
    for (const channel of CHANNELS) {
      const address = person[ADDRESS[channel]];
      const { state, by } = person.words[channel];
      if (address !== null && state === 'unsubscribed') this.sayNo(address, by);
    }
    if (person.email !== null && person.hasBounced) this.dead.add(person.email);
  }

  /** With the contact that they are, and one that has their address and is nobody else's. */
  eraseCustomer(customer: Customer): void {
    this.customers.splice(this.customers.indexOf(customer), 1);
    const byEmail = this.holder('email', customer.email);
    const free = byEmail?.external_id === null ? byEmail : undefined;
    for (const person of new Set([this.holder('external_id', String(customer.id)), free])) {
      if (person !== undefined) this.erase(person);
    }
  }

  private merge(person: Person, loser: Person, asked: Given): void {
    this.people.delete(loser);
    this.heirs.set(loser.id, person.id);
    person.isPaused ||= loser.isPaused;
    person.getsLess ||= loser.getsLess;
    for (const channel of CHANNELS) {
      const key = ADDRESS[channel];
      const takes = loser[key] !== null && (asked[key] ?? person[key] ?? loser[key]) === loser[key];
      const no = [person, loser].find((one) => one.words[channel].state === 'unsubscribed');
      person.words[channel] = { ...(no ?? (takes ? loser : person)).words[channel] };
      if (takes && channel === 'email') person.hasBounced = loser.hasBounced;
      person[key] = takes ? loser[key] : (person[key] ?? loser[key]);
    }
  }

  private apply(person: Person, { consent = {}, status, ...keys }: Given): void {
    if (keys.email !== undefined) this.readdress(person, keys.email);
    Object.assign(person, keys);
    if (status === 'bounced') person.hasBounced = true;
    if (status === 'bounced' && person.email !== null) this.dead.add(person.email);
    for (const channel of CHANNELS) {
      const { state } = person.words[channel];
      const asked = consent[channel];
      if (asked === undefined || state === 'unsubscribed' || state === asked) continue;
      person.words[channel] = { state: asked, by: 'person', soft: false };
    }
  }

  /** A bounce stays with the address. */
  private readdress(person: Person, email: string | null): void {
    if (person.email !== null && person.email !== email) person.hasBounced = false;
  }

  /** A no goes along with the person to another address, and is waiting for whoever gets an address that it was said of. */
  private change(person: Person, known: boolean, make: () => void): void {
    const before = structuredClone(person);
    make();
    this.people.add(person);
    if (person.email !== null && this.dead.has(person.email)) person.hasBounced = true;
    for (const channel of CHANNELS) {
      const address = person[ADDRESS[channel]];
      if (address === null) continue;
      const { state, by } = person.words[channel];
      const isNew = !known || before[ADDRESS[channel]] !== address;
      const changed = !known || before.words[channel].state !== state;
      if (state === 'unsubscribed' && (isNew || changed)) this.sayNo(address, by);
      const no = this.noes.get(address);
      if (no === undefined || state === 'unsubscribed' || !(isNew || (changed && state === 'subscribed'))) continue;
      // `never` is what the shop's own no makes of a contact.
      if (no === 'person' || state === 'subscribed') {
        person.words[channel] = { state: 'unsubscribed', by: no, soft: false };
      }
    }
  }
}
