import { languageOf } from './languages.ts'
import { analyze } from './text.ts'

/**
 * Names that shoppers use for the same kind of product, one kind per line. The lists are short on purpose: names share a line
 * only if each can stand for the others whatever the shop sells. Narrower names (webcam for camera) are not synonyms.
 */
const lists: Readonly<Record<string, string>> = {
  en: `laptop, notebook
    tv, television
    pc, computer
    mobile phone, cell phone, cellphone, smartphone
    headphones, earphones, headset, earbuds
    ssd, solid state drive
    hdd, hard drive, hard disk
    usb stick, usb drive, flash drive, thumb drive
    power bank, external battery, portable charger
    mouse pad, mouse mat
    vacuum cleaner, hoover
    flashlight, torch
    speaker, loudspeaker
    smart watch, smartwatch
    fridge, refrigerator
    sofa, couch
    sweater, jumper, pullover
    trousers, pants
    sneakers, trainers
    diapers, nappies
    stroller, pushchair
    backpack, rucksack
    bicycle, bike
    perfume, fragrance`,
  de: `laptop, notebook
    fernseher, tv
    handy, smartphone, mobiltelefon
    kopfhörer, headset, ohrhörer
    festplatte, hdd
    usb stick, speicherstick
    powerbank, zusatzakku
    mauspad, mausmatte
    lautsprecher, boxen
    drucker, printer
    kühlschrank, kuehlschrank
    sofa, couch
    fahrrad, bike
    pullover, pulli
    turnschuhe, sneaker
    rucksack, backpack
    taschenlampe, handlampe`,
}

/** Maps the terms of a name, joined by spaces, to the terms of each of its synonyms. */
export type Synonyms = ReadonlyMap<string, readonly (readonly string[])[]>

const none: Synonyms = new Map()
const byLanguage = new Map<string, Synonyms>()

/** @param lang ISO 639-1 code, a region may follow; null is English. */
export function synonymsOf(lang: string | null): Synonyms {
  const code = languageOf(lang)
  const list = lists[code]
  if (list === undefined) return none
  const known = byLanguage.get(code)
  if (known) return known
  const found = new Map<string, string[][]>()
  for (const line of list.split('\n')) {
    const names = line.split(',').map((name) => analyze(name, code))
    for (const name of names) found.set(name.join(' '), [...names.filter((other) => other !== name)])
  }
  byLanguage.set(code, found)
  return found
}
