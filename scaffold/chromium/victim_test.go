package chromium_test

const victimFolder = "KEYLANE_CHROMIUM_VICTIM"

func beVictim() {}
