/** What a slice did, and where the next one begins; null at the end. */
export interface SliceResult<Place> {
  done: number;
  next: Place | null;
}

/** One slice of unbounded upkeep: a short statement that examines so many rows after the position, null at first. */
export type Slice<Place> = (place: Place | null) => Promise<SliceResult<Place>>;
