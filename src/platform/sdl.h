#pragma once
// The window of the native program, and pictures without one. Only main_native
// includes this; what both platforms share is platform.h.

#include <string>
#include <vector>

namespace commflow::platform {

struct WindowOptions {
  int width = 1280;                   // of the page's visible part, in CSS pixels
  int height = 800;                   // 0: as high as the page (pictures only)
  float density = 0;                  // device pixels per CSS pixel; 0: what the screen has
  std::string assets;                 // folders to read_asset() from
  std::string fonts;                  // folder with font.otf and font-bold.otf
  std::vector<std::string> messages;  // to be heard before the first frame
  std::string picture;                // a PNG to write instead of showing a window
};

// Opens the window, calls app_start(), and app_frame() until the window is
// closed: when something moves or was pressed, and twice a second while the
// window has the focus, so that saved files are noticed. Returns an exit code;
// what went wrong is said on stderr.
int run_window(const WindowOptions& options);

}  // namespace commflow::platform
