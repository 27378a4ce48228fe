"""Flow J: what model calls cost, told to people: reports, forecasts, files for spreadsheets, `/costs`."""
