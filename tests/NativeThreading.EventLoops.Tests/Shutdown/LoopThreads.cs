using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.EventLoops.Shutdown;

/// <summary>The threads of the process as the kernel lists them.</summary>
internal static class LoopThreads
{
    /// <summary>Whether a thread of that loop's name exists.</summary>
    public static bool Exists(EventLoop loop)
    {
        if (OperatingSystem.IsLinux())
        {
            return Count(loop.Name) != 0;
        }

        loop.Dispose(); // other kernels do not list threads by their names; this waits for the thread's end
        return false;
    }

    /// <summary>Threads of that name, of which the kernel keeps 15 characters.</summary>
    public static int Count(string prefix)
    {
        NeedsSystemAttribute.SkipUnlessMet(NeedsSystemAttribute.Proc);
        int count = 0;
        foreach (string task in Directory.EnumerateDirectories("/proc/self/task"))
        {
            try
            {
                count += File.ReadAllText(task + "/comm").StartsWith(prefix, StringComparison.Ordinal) ? 1 : 0;
            }
            catch (IOException)
            {
                // The thread ended between the listing and the read.
            }
        }

        return count;
    }

    /// <summary>Descriptors that are open of the two kinds that loops open; others come and go with the runtime.</summary>
    public static int OpenDescriptors()
    {
        NeedsSystemAttribute.SkipUnlessMet(NeedsSystemAttribute.Proc);
        int count = 0;
        foreach (string descriptor in Directory.EnumerateFileSystemEntries("/proc/self/fd"))
        {
            try
            {
                count += File.ResolveLinkTarget(descriptor, returnFinalTarget: false)?.Name is { } name
                    && (name.Contains("[eventpoll]", StringComparison.Ordinal) || name.Contains("[eventfd]", StringComparison.Ordinal)) ? 1 : 0;
            }
            catch (IOException)
            {
                // It was closed between the listing and the look.
            }
        }

        return count;
    }
}
